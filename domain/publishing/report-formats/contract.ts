/** A report as it is to be shown. */
export interface ReportSource {
  title: string;
  markdown: string;
  /** Day and time of its revision, ISO 8601. */
  writtenAt: string;
}

export type ExportFormat = 'markdown' | 'pdf' | 'docx';

/** What a report shows that is not in its Markdown, by the ids and paths that it names. */
export interface ReportReferences {
  charts: string[];
  results: string[];
  /** Paths of images among the project's files. */
  images: string[];
}

/** Rows of a result as text, and whether there were more. */
export interface ResultTable {
  title: string;
  columns: { name: string; dataType: string }[];
  /** Of the whole result; as many columns as are kept are in `columns`. */
  columnCount: number;
  rows: string[][];
  isCut: boolean;
}

/** What of it there is; whatever is missing is shown by its words. */
export interface ReportMaterial {
  /** SVG. */
  charts: Record<string, string>;
  results: Record<string, ResultTable>;
  images: Record<string, Uint8Array>;
}
