interface Explanation {
  /** Of the field or the group. */
  id: string;
  hint: string | undefined;
  /** What is wrong with its value. */
  fault: string | undefined;
}

/** What was said of a field or a group of fields, and what helps with it. */
export function Explained({ id, fault, hint }: Explanation) {
  return (
    <>
      {fault !== undefined && (
        <p className="fault" id={`${id}-fault`}>
          {fault}
        </p>
      )}
      {hint !== undefined && (
        <p className="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </>
  );
}

/** Ties it to the field or the group. */
export function describedBy({ id, fault, hint }: Explanation): { 'aria-describedby'?: string } {
  const ids = [
    ...(fault === undefined ? [] : [`${id}-fault`]),
    ...(hint === undefined ? [] : [`${id}-hint`]),
  ];
  return ids.length === 0 ? {} : { 'aria-describedby': ids.join(' ') };
}
