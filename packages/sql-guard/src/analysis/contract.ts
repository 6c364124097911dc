import type { RefusalCode } from '../guard/refusal.ts';

/** A table or view that a definition may name, with its columns in the engine's types. */
export interface ColumnedRelation {
  id: string;
  name: string;
  columns: readonly { name: string; type: string }[];
}

/** The SELECT of a view or calculated table, and every relation that it may name. */
export interface DefinitionText {
  query: string;
  relations: readonly ColumnedRelation[];
  /** Whether it is built, so that it matters how its groups are merged; a view is not. */
  isBuilt?: boolean;
}

/** OpenLineage's kinds of transformation: how a column of a source affects a column of the result. */
export type Influence =
  | 'identity'
  | 'transformation'
  | 'aggregation'
  | 'join'
  | 'group_by'
  | 'filter'
  | 'sort'
  | 'window'
  | 'conditional';

export interface ColumnOrigin {
  relationId: string;
  column: string;
  influence: Influence;
}

/** An aggregate that is kept for each group, and how two of its values become one. */
export interface GroupPart {
  name: string;
  merge: 'sum' | 'min' | 'max';
  /** The engine's type in which it is kept. */
  type: string;
}

/**
 * How the result follows when rows are added to one of the tables that are read: they give more rows of the
 * result, or they are merged into what is kept for each group.
 */
export type Increment =
  | { kind: 'rows' }
  | {
      kind: 'groups';
      /** The SELECT of what is kept, over the same relations. */
      partial: string;
      keys: string[];
      parts: GroupPart[];
      /** The SELECT of the result over what is kept. */
      result: string;
    };

/** What the engine knows about a definition without reading any row. */
export interface Analysis {
  columns: { name: string; dataType: string }[];
  /** Ids of the relations that it names, in order, each once. */
  reads: string[];
  /** By position of the columns; null if the engine's plan cannot be followed. */
  origins: ColumnOrigin[][] | null;
  /** Null if added rows may change the result in other ways. */
  increment: Increment | null;
}

export interface AnalysisFailure {
  code: RefusalCode;
  message: string;
}

export type Analyzed = Analysis | { failure: AnalysisFailure };

/** A relation or one of its columns with a new name. */
export interface Renaming {
  relationId: string;
  /** Absent if the relation itself is renamed. */
  column?: string;
  to: string;
}

/** A query in which a renaming is followed; undefined where it cannot be, and the query stays as it is. */
export type Renamed = { query: string; columns: { from: string; to: string }[] } | undefined;
