import type { Selectable, Updateable } from 'kysely';
import type { OrganizationTransaction } from './client.ts';
import type { DB } from './schema.ts';

/** From each state, the states that may follow. A state that none follows is an end. */
export type Transitions<Status extends string> = Readonly<Record<Status, readonly Status[]>>;

type StatefulTable = {
  [Name in keyof DB]: Selectable<DB[Name]> extends { organization_id: string; id: string; status: string }
    ? Name
    : never;
}[keyof DB];

type StatusOf<Name extends StatefulTable> = DB[Name]['status'] & string;

/**
 * The life of a table's rows, written down once. A row moves by compare-and-set: two that move it at once
 * agree on who did, and a try that comes twice changes nothing. `stamp` is what a move writes beside the
 * status.
 */
export function states<const Name extends StatefulTable>(
  table: Name,
  transitions: Transitions<StatusOf<Name>>,
  stamp: (to: StatusOf<Name>, isEnd: boolean, from: StatusOf<Name>) => Updateable<DB[Name]> = () => ({}),
) {
  type Status = StatusOf<Name>;
  type Row = Selectable<DB[Name]>;
  // A name of a table that is not known here has no columns that Kysely could check.
  const name = table as 'table_imports';
  const isEnd = (status: Status): boolean => transitions[status].length === 0;

  return {
    transitions,
    isEnd,

    /** The row as it is after the move; undefined when it was not where it should be. */
    async move(
      db: OrganizationTransaction,
      { organization_id: organizationId, id }: { organization_id: string; id: string },
      from: Status,
      to: Status,
      change: Updateable<DB[Name]> = {},
    ): Promise<Row | undefined> {
      if (!transitions[from].includes(to))
        throw new Error(`A row of ${name} cannot go from ${from} to ${to}.`);
      const moved = await db
        .updateTable(name)
        .set({ ...change, ...stamp(to, isEnd(to), from), status: to } as never)
        .where('organization_id', '=', organizationId)
        .where('id', '=', id)
        .where('status', '=', from as 'queued')
        .returningAll()
        .executeTakeFirst();
      return moved as Row | undefined;
    },
  };
}
