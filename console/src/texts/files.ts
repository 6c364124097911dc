/** Texts of the files of a project. */
export const files = {
  empty: 'This project has no files yet.',
  columns: { path: 'File', size: 'Size', changed: 'Changed', actions: 'Actions', read: 'Import' },
  bytes: (count: number) => `${count.toLocaleString()} ${count === 1 ? 'byte' : 'bytes'}`,
  read: (path: string) => `Import ${path}`,
  download: 'Download',
  remove: 'Delete',
  confirm: (path: string) => `Delete ${path}? Tables made from it stay.`,
} as const;
