/** Imports that were begun in this tab: what they bring in is attached to their project, once. */
const begun = new Set<string>();

export const beginImport = (id: string): void => void begun.add(id);

/** Whether it was begun here; the second time it is not any more. */
export const takeBegun = (id: string): boolean => begun.delete(id);
