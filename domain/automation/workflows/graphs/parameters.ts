import { z } from 'zod';
import type { ValidationFault } from '../../../../data/errors.ts';
import { faultsOf } from '../../../../data/validation-faults.ts';
import { type Parameters, valueFault } from '../../../analyst/playbooks/parameters.ts';
import { limits } from '../../../workspace/limits/limits.ts';

const maxParameters = limits.workflows.parameters.most;

const parameterForm = z.strictObject({
  type: z.enum(['string', 'number', 'boolean', 'date', 'table']),
  required: z.boolean().default(false),
  default: z.unknown().optional(),
  description: z.string().max(500).default(''),
});

/** The faults of a graph's parameters, which have the same form as those of playbooks. */
export function parameterFaults(
  parameters: Readonly<Record<string, unknown>>,
  at: (string | number)[],
): ValidationFault[] {
  const names = Object.keys(parameters);
  if (names.length > maxParameters)
    return [{ loc: at, type: 'too_long', msg: `A workflow can have at most ${maxParameters} parameters.` }];
  return names.flatMap((name) => {
    const loc = [...at, name];
    if (!/^[A-Za-z_]\w{0,63}$/.test(name))
      return [
        {
          loc,
          type: 'string_pattern_mismatch',
          msg: 'A name must contain only letters, digits and _, and must not begin with a digit.',
        },
      ];
    const form = parameterForm.safeParse(parameters[name], { reportInput: true });
    if (!form.success) return faultsOf(form.error.issues, loc);
    const { default: value } = form.data;
    const fault = value === undefined || value === null ? undefined : valueFault(form.data, value);
    return fault === undefined ? [] : [{ loc: [...loc, 'default'], ...fault }];
  });
}

/** The parameters of a valid graph. */
export function parametersOf(parameters: Readonly<Record<string, unknown>>): Parameters {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, parameter]) => {
      const { default: value, ...form } = parameterForm.parse(parameter);
      return [name, { ...form, default: value ?? null }];
    }),
  ) as Parameters;
}
