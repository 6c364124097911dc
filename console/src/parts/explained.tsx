import { Text } from '@mantine/core';

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
        <p className="fault" id={`${id}-error`}>
          {fault}
        </p>
      )}
      {hint !== undefined && (
        <Text c="dimmed" id={`${id}-description`}>
          {hint}
        </Text>
      )}
    </>
  );
}

/** Ties it to the field or the group. */
export function describedBy({ id, fault, hint }: Explanation): { 'aria-describedby'?: string } {
  const ids = [
    ...(fault === undefined ? [] : [`${id}-error`]),
    ...(hint === undefined ? [] : [`${id}-description`]),
  ];
  return ids.length === 0 ? {} : { 'aria-describedby': ids.join(' ') };
}
