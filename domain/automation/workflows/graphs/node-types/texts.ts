import { z } from 'zod';
import { urlFault } from '../../../../../data/outgoing/outgoing.ts';

/** Texts of configs. Each may contain `${params.name}` and `${node.port}`. */
export const sqlText = z.string().min(1).max(100_000);
export const lineText = z.string().min(1).max(500);
export const longText = z.string().max(20_000);

/** Address of a request; checked again on connection. */
export const urlText = z
  .string()
  .min(1)
  .max(2_048)
  .check(({ value, issues }) => {
    const message = urlFault(value);
    if (message !== undefined) issues.push({ code: 'custom', message, input: value });
  });
