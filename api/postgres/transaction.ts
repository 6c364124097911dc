import type { TablesAtSnapshot } from '../../data/lake/layouts.ts';
import { lookTogether, type ToPrepare } from '../../domain/tables/query/prepare.ts';
import type { QueryDeps } from '../../domain/tables/query/run.ts';
import type { TransactionState } from '../../packages/postgres-protocol/index.ts';

/** The transaction of a session. All its statements read the tables at the moment of the first. */
export interface Transaction {
  state: TransactionState;
  /** The moment at which a statement reads; undefined if that is the newest, as outside of a transaction. */
  momentFor(query: ToPrepare): Promise<TablesAtSnapshot | undefined>;
  begin(): void;
  end(): void;
}

export function createTransaction(deps: QueryDeps): Transaction {
  let snapshotId: number | undefined;
  return {
    state: 'idle',
    async momentFor(query) {
      if (this.state === 'idle') return undefined;
      const moment = await lookTogether(deps, [query], snapshotId);
      snapshotId ??= moment.snapshotId;
      return moment;
    },
    begin() {
      this.state = 'open';
      snapshotId = undefined;
    },
    end() {
      this.state = 'idle';
      snapshotId = undefined;
    },
  };
}
