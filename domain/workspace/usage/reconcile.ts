import type pg from 'pg';
import type { Database } from '../../../data/postgres/client.ts';
import { type ReconcileStep, wholeStep } from '../../../data/reconciling/step.ts';
import { countStatements, lookAtStoredBytes } from './count.ts';

interface UsageDeps {
  db: Database;
  lake: { catalogPool: pg.Pool };
}

export function usageSteps({ db, lake }: UsageDeps): ReconcileStep[] {
  return [
    wholeStep('count of statements', () => countStatements(db)),
    wholeStep('count of stored bytes', () => lookAtStoredBytes(db, lake.catalogPool)),
  ];
}
