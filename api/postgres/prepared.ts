import { limits } from '../../domain/workspace/limits/limits.ts';
import { parameterCasts, statementsOf } from '../../packages/postgres-dialect/index.ts';
import {
  arrayOid,
  backend,
  type FieldDescription,
  type FrontendMessage,
  formatOf,
  oids,
  ProtocolFault,
  readParameter,
  type TypeName,
} from '../../packages/postgres-protocol/index.ts';
import type { Session } from './context.ts';
import { describeRows } from './engine-rows.ts';
import { commandFields, hasEngineRows, type Plan, planOf } from './plan.ts';
import { type Portal, portalFields, refuseInFailed, runPortal, sendDescription } from './portal.ts';
import { cellOf } from './values.ts';

interface Prepared {
  /** Undefined for a text without a statement. */
  plan: Plan | undefined;
  /** The types that the client has declared, by the place of the parameter; 0 for those it has not. */
  declared: readonly number[];
  /** What the engine has said of it. */
  described?: { fields: FieldDescription[]; parameters: Record<string, number> };
}

const { most: mostPrepared } = limits.postgres.prepared;
const { most: mostPortals } = limits.postgres.portals;
const mostParameters = 100;

export type Of<Kind extends FrontendMessage['kind']> = Extract<FrontendMessage, { kind: Kind }>;

/** The types of parameters that the statement itself casts. */
function castOids({ statement }: Plan): Map<number, number> {
  const casts = [...parameterCasts(statement.tokens)];
  return new Map(
    casts.flatMap(([number, { name, isArray }]) => {
      const oid = isArray ? arrayOid(name as TypeName) : oids[name as TypeName];
      return oid === undefined ? [] : [[number, oid] as const];
    }),
  );
}

/** The prepared statements and portals of a session, which the extended protocol works with. */
export function createPrepared(session: Session) {
  const { connection } = session;
  const statements = new Map<string, Prepared>();
  const portals = new Map<string, Portal | undefined>();

  function statementNamed(name: string): Prepared {
    const found = statements.get(name);
    if (found !== undefined) return found;
    throw new ProtocolFault('26000', `prepared statement "${name.slice(0, 100)}" does not exist`);
  }

  function closePortal(name: string): void {
    portals.get(name)?.rows?.close();
    portals.delete(name);
  }

  /** What the engine says of a statement; asked once. */
  async function described(prepared: Prepared, plan: Plan) {
    refuseInFailed(session, plan);
    const nothing = plan.parameters.map((number) => [String(number), null] as const);
    prepared.described ??= await describeRows(session, {
      sql: plan.statement.sql,
      values: new Map(nothing),
      isCatalog: plan.isCatalog,
    });
    return prepared.described;
  }

  /** The types of the parameters: as declared, else as the statement decides them, else text. */
  async function typesOf(prepared: Prepared): Promise<number[]> {
    const { plan, declared } = prepared;
    if (plan === undefined) return [];
    const count = Math.max(plan.parameters.at(-1) ?? 0, declared.length);
    const cast = castOids(plan);
    const isOpen = plan.parameters.some((number) => !declared[number - 1] && !cast.has(number));
    const found = isOpen && hasEngineRows(plan) ? (await described(prepared, plan)).parameters : {};
    return Array.from(
      { length: count },
      (_, at) => declared[at] || (cast.get(at + 1) ?? found[String(at + 1)] ?? oids.text),
    );
  }

  return {
    parse({ name, sql, types }: Of<'parse'>): void {
      const [statement, ...others] = statementsOf(sql);
      if (others.length > 0)
        throw new ProtocolFault('42601', 'cannot insert multiple commands into a prepared statement');
      if (name !== '' && statements.has(name))
        throw new ProtocolFault('42P05', `prepared statement "${name.slice(0, 100)}" already exists`);
      if (statements.size >= mostPrepared)
        throw new ProtocolFault('53400', `A session has up to ${mostPrepared} prepared statements.`);
      const plan = statement && planOf(statement, session);
      if (plan !== undefined && (plan.parameters.at(-1) ?? 0) > mostParameters)
        throw new ProtocolFault('54023', `A statement takes up to ${mostParameters} parameters.`);
      if (plan !== undefined) refuseInFailed(session, plan);
      statements.set(name, { plan, declared: types });
      connection.send(backend.parseComplete());
    },

    async bind({ portal, statement, formats, values, resultFormats }: Of<'bind'>): Promise<void> {
      const prepared = statementNamed(statement);
      const types = await typesOf(prepared);
      if (values.length !== types.length)
        throw new ProtocolFault(
          '08P01',
          `bind message supplies ${values.length} parameters, but prepared statement requires ${types.length}`,
        );
      if (portal !== '' && portals.has(portal))
        throw new ProtocolFault('42P03', `portal "${portal.slice(0, 100)}" already exists`);
      closePortal(portal);
      if (portals.size >= mostPortals)
        throw new ProtocolFault('53400', `A session has up to ${mostPortals} portals.`);
      const { plan } = prepared;
      const cells = (plan?.parameters ?? []).map((number) => {
        const at = number - 1;
        const value = readParameter(types[at]!, formatOf(formats, at), values[at] ?? null);
        return [String(number), cellOf(value, Boolean(prepared.declared[at]))] as const;
      });
      portals.set(
        portal,
        plan && { plan, values: new Map(cells), resultFormats, fields: prepared.described?.fields },
      );
      connection.send(backend.bindComplete());
    },

    /** @param isRunNext Whether the portal is executed next, which describes it without another look */
    async describe({ target }: Of<'describe'>, isRunNext: boolean): Promise<void> {
      if (target.of === 'statement') {
        const prepared = statementNamed(target.name);
        const { plan } = prepared;
        connection.send(backend.parameterDescription(await typesOf(prepared)));
        const fields =
          plan &&
          (hasEngineRows(plan) ? (await described(prepared, plan)).fields : commandFields(plan, session));
        return sendDescription(session, { resultFormats: [] }, fields);
      }
      const cursor = portals.has(target.name) ? undefined : session.cursors.get(target.name);
      if (cursor !== undefined) {
        sendDescription(session, { resultFormats: [] }, cursor.fields);
        return;
      }
      const portal = portalNamed(target.name);
      if (portal === undefined) return connection.send(backend.noData());
      if (isRunNext && portal.rows === undefined && !portal.isDone) portal.describesLater = true;
      else sendDescription(session, portal, await portalFields(session, portal));
    },

    async execute({ portal: name, mostRows }: Of<'execute'>): Promise<void> {
      const portal = portalNamed(name);
      if (portal === undefined) return connection.send(backend.emptyQuery());
      await runPortal(session, portal, mostRows);
    },

    close({ target }: Of<'close'>): void {
      if (target.of === 'portal') closePortal(target.name);
      else statements.delete(target.name);
      connection.send(backend.closeComplete());
    },

    deallocate(name: string | undefined): void {
      if (name === undefined) {
        statements.clear();
        return;
      }
      statementNamed(name);
      statements.delete(name);
    },

    /** Portals end with their transaction. */
    closePortals(): void {
      for (const name of portals.keys()) closePortal(name);
    },
  };

  function portalNamed(name: string): Portal | undefined {
    if (portals.has(name)) return portals.get(name);
    throw new ProtocolFault('34000', `portal "${name.slice(0, 100)}" does not exist`);
  }
}
