const format = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });
const exactly = new Intl.DateTimeFormat('en', { dateStyle: 'full', timeStyle: 'long' });

/** A moment in the reader's time zone; pointing at it shows its seconds and the zone. */
export function Time({ at }: { at: string | null }) {
  if (at === null) return null;
  const moment = new Date(at);
  return (
    <time dateTime={at} title={exactly.format(moment)}>
      {format.format(moment)}
    </time>
  );
}
