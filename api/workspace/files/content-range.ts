/** One byte range of RFC 9110 §14: inclusive bounds, `unsatisfiable`, or undefined for the whole content. */
export type ByteRange = { from: number; to: number } | 'unsatisfiable' | undefined;

/**
 * Several ranges, other units and malformed headers are answered with the whole content, as the RFC permits.
 */
export function parseRange(header: string | undefined, sizeBytes: number): ByteRange {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '');
  if (match === null || (match[1] === '' && match[2] === '')) return undefined;
  if (match[1] === '') {
    const suffix = Number(match[2]);
    return suffix === 0 || sizeBytes === 0
      ? 'unsatisfiable'
      : { from: Math.max(0, sizeBytes - suffix), to: sizeBytes - 1 };
  }
  const from = Number(match[1]);
  const to = match[2] === '' ? sizeBytes - 1 : Math.min(Number(match[2]), sizeBytes - 1);
  if (match[2] !== '' && Number(match[2]) < from) return undefined;
  return from >= sizeBytes ? 'unsatisfiable' : { from, to };
}
