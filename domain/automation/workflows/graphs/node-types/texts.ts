import { z } from 'zod';
import { urlFault } from '../../../../../data/outgoing/outgoing.ts';

/** Texts of configs. Each may contain `${params.name}` and `${node.port}`. */
export const sqlText = z.string().min(1).max(100_000);
export const lineText = z.string().min(1).max(500);
export const longText = z.string().max(20_000);

const address = (isFilled: boolean) =>
  z
    .string()
    .min(1)
    .max(2_048)
    .check(({ value, issues }) => {
      const message = isFilled && isOpen(value) ? undefined : urlFault(value);
      if (message !== undefined) issues.push({ code: 'custom', message, input: value });
    });

/** A text with a placeholder is checked in the run, when it is filled. */
const isOpen = (value: string): boolean => value.includes('${');

/** Address of a request; checked again on connection. */
export const urlText = address(true);

/** One that is a secret, which no placeholder fills. */
export const secretUrl = address(false);

/** Somebody who gets an e-mail. */
export const emailText = z
  .string()
  .max(254)
  .check(({ value, issues }) => {
    if (isOpen(value) || z.email().safeParse(value).success) return;
    issues.push({ code: 'invalid_format', format: 'email', message: 'Invalid email address', input: value });
  });
