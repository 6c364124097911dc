import { AsyncLocalStorage } from 'node:async_hooks';
import {
  CompiledQuery,
  type DatabaseConnection,
  PostgresDialect,
  PostgresDriver,
  type TransactionSettings,
} from 'kysely';
import pg from 'pg';

/** Settings of one transaction, by name. */
export type Scope = Readonly<Record<string, string>>;

const scopes = new AsyncLocalStorage<Scope | undefined>();

/** Begins the transaction that `begin` begins with these settings; `work` within it begins others without. */
export function beginWith<T>(scope: Scope, begin: (work: <R>(run: () => R) => R) => T): T {
  return scopes.run(scope, () => begin((run) => scopes.run(undefined, run)));
}

/** Sends the settings of a transaction with its beginning: nearly everything that asks waits for both. */
class ScopedDriver extends PostgresDriver {
  readonly #role: () => string;

  constructor(pool: pg.Pool, role: () => string) {
    super({ pool });
    this.#role = role;
  }

  override async beginTransaction(
    connection: DatabaseConnection,
    settings: TransactionSettings,
  ): Promise<void> {
    const scope = scopes.getStore();
    if (scope === undefined) return super.beginTransaction(connection, settings);
    const modes = [
      ...(settings.isolationLevel === undefined ? [] : [`isolation level ${settings.isolationLevel}`]),
      ...(settings.accessMode === undefined ? [] : [settings.accessMode]),
    ];
    const set = Object.entries(scope).map(
      ([name, value]) => `set_config(${pg.escapeLiteral(name)}, ${pg.escapeLiteral(value)}, true)`,
    );
    // A pooler may have put another session's connection behind this one.
    const text = `start transaction ${modes.join(' ')}; set local role ${pg.escapeIdentifier(this.#role())}; select ${set.join(', ')}`;
    try {
      await connection.executeQuery(CompiledQuery.raw(text));
    } catch (error) {
      // It may have begun, and whoever failed to begin a transaction does not end it.
      await connection.executeQuery(CompiledQuery.raw('rollback')).catch(() => undefined);
      throw error;
    }
  }
}

export class ScopedPostgresDialect extends PostgresDialect {
  readonly #pool: pg.Pool;
  readonly #role: () => string;

  /** @param role the role of the pool's sessions, known once there is one */
  constructor(pool: pg.Pool, role: () => string) {
    super({ pool });
    this.#pool = pool;
    this.#role = role;
  }

  override createDriver(): PostgresDriver {
    return new ScopedDriver(this.#pool, this.#role);
  }
}
