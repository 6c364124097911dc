import type { Document } from './documents.ts';

/** Something of the workspace that a file describes, known by its name. */
export interface Stored {
  id: string;
  name: string;
  document: Document;
  /** Nothing follows from it any more: a file finds it, and none is written of it. */
  isOver?: boolean;
}

/** How one kind of thing is read and written. A file is `<folder>/<name>.json`. */
export interface Kind {
  folder: string;
  /** The fields that are its name, by which a file finds it. */
  nameFields: readonly string[];
  list(): Promise<Stored[]>;
  create(document: Document): Promise<Written>;
  /** Fields that the document leaves out keep their values. */
  update(stored: Stored, document: Document): Promise<Written>;
}

export interface Written {
  id: string;
  /** Lines for the person: secrets that no later answer has. */
  shownOnce?: string[];
}

/** What a document is called. */
export const nameOf = (nameFields: readonly string[], document: Document): string =>
  nameFields.map((field) => document[field]).join(': ');
