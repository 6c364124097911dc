/** A report to format. */
export interface ReportSource {
  title: string;
  markdown: string;
  /** Date and time of its revision, ISO 8601. */
  writtenAt: string;
}

/** `html` is a part of a page. */
export type ExportFormat = 'markdown' | 'pdf' | 'docx' | 'html';

/** Resources that a report shows but its Markdown does not contain, by ids and paths. */
export interface ReportReferences {
  charts: string[];
  results: string[];
  /** Paths of images among the project's files. */
  images: string[];
}

/** Rows of a result as text, and whether there are more. */
export interface ResultTable {
  title: string;
  columns: { name: string; dataType: string }[];
  /** Of the whole result; `columns` contains only the stored ones. */
  columnCount: number;
  rows: string[][];
  isCut: boolean;
}

/** The available resources; a missing one is replaced by its text. */
export interface ReportMaterial {
  /** SVG. */
  charts: Record<string, string>;
  results: Record<string, ResultTable>;
  images: Record<string, Uint8Array>;
}
