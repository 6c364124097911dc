import type { OrganizationTransaction } from '../../../data/postgres/client.ts';

export interface Imported {
  id: string;
  key: string;
  isNew: boolean;
}

/** Records of another system that are imported as one kind of resource. */
export interface LegacyKind<T extends { organizationId: string } = { organizationId: string }> {
  /** The parsed record, or its faults. */
  read(record: unknown): T | string[];
  /** Faults that depend on existing data. It may write; its writes are rolled back. */
  faultsOf(db: OrganizationTransaction, record: T): Promise<string[]>;
  /** Adds it, or finds it if the same record was imported before. */
  insert(db: OrganizationTransaction, record: T): Promise<Imported>;
}
