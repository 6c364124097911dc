import type { Selectable, Updateable } from 'kysely';
import type { OrganizationTransaction } from './client.ts';
import type { DB } from './schema.ts';

/** The states that may follow each state. A state without successors is final. */
export type Transitions<Status extends string> = Readonly<Record<Status, readonly Status[]>>;

type StatefulTable = {
  [Name in keyof DB]: Selectable<DB[Name]> extends { organization_id: string; id: string; status: string }
    ? Name
    : never;
}[keyof DB];

type StatusOf<Name extends StatefulTable> = DB[Name]['status'] & string;

/**
 * The state machine of a table's rows. A row moves by compare-and-set: of two concurrent moves only one
 * succeeds, and a repeated attempt changes nothing. `stamp` gives the columns written together with the
 * status.
 */
export function states<const Name extends StatefulTable>(
  table: Name,
  transitions: Transitions<StatusOf<Name>>,
  stamp: (to: StatusOf<Name>, isEnd: boolean, from: StatusOf<Name>) => Updateable<DB[Name]> = () => ({}),
) {
  type Status = StatusOf<Name>;
  type Row = Selectable<DB[Name]>;
  // Kysely cannot check columns of a table whose name is not known here.
  const name = table as 'table_imports';
  const isEnd = (status: Status): boolean => transitions[status].length === 0;

  return {
    transitions,
    isEnd,

    /** The row after the move; undefined if it was not in state `from`. */
    async move(
      db: OrganizationTransaction,
      { organization_id: organizationId, id }: { organization_id: string; id: string },
      from: Status,
      to: Status,
      change: Updateable<DB[Name]> = {},
    ): Promise<Row | undefined> {
      if (!transitions[from].includes(to))
        throw new Error(`A row of ${name} can't change from ${from} to ${to}.`);
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
