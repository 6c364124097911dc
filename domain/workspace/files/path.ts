/** Why a path is refused, or undefined. Paths are names, never resolved against a file system. */
export function pathFault(path: string): string | undefined {
  const bytes = Buffer.byteLength(path.normalize('NFC'));
  if (bytes < 1 || bytes > 1_024) return 'The path must have 1 to 1024 bytes.';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
  if (/[\u0000-\u001f\u007f-\u009f]/.test(path)) return 'The path must not contain control characters.';
  if (!path.isWellFormed()) return "The path isn't well-formed Unicode.";
  if (path.startsWith('/') || path.includes('\\'))
    return 'The path must be relative, with / between its parts.';
  if (path.split('/').some((part) => part === '' || part === '.' || part === '..')) {
    return 'The path must not contain empty parts, `.` or `..`.';
  }
  return undefined;
}
