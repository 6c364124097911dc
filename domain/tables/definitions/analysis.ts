import type { ErrorCode } from '../../../data/errors.ts';

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

/** What the engine knows about a definition without reading any row. */
export interface Analysis {
  columns: { name: string; dataType: string }[];
  /** Ids of the relations that it names, in order, each once. */
  reads: string[];
  /** By position of the columns; null if the engine's plan cannot be followed. */
  origins: ColumnOrigin[][] | null;
}

export interface AnalysisFailure {
  code: ErrorCode;
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
