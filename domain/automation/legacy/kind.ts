import type { OrganizationTransaction } from '../../../data/postgres/client.ts';

export interface Imported {
  id: string;
  key: string;
  isNew: boolean;
}

/** Records of another system that come in as one kind of thing. */
export interface LegacyKind<T extends { organizationId: string } = { organizationId: string }> {
  /** The record, or what is wrong with it. */
  read(record: unknown): T | string[];
  /** What is wrong with it beside what is there already; it may write, and nothing of that stays. */
  faultsOf(db: OrganizationTransaction, record: T): Promise<string[]>;
  /** Adds it, or finds it: the same record again is the same thing. */
  insert(db: OrganizationTransaction, record: T): Promise<Imported>;
}
