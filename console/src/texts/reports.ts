/** Texts of reports. */
export const reports = {
  title: 'Reports',
  empty: 'This project has no reports yet.',
  columns: { title: 'Report', source: 'From', changed: 'Changed' },
  sources: {
    api: 'a request',
    conversation: 'a conversation',
    playbook: 'a playbook',
    workflow: 'a workflow',
  },
  ask: {
    label: 'Topic of the report',
    placeholder: 'total amount by city as a bar chart, and what stands out',
    send: 'Write report',
    begun: 'The analyst is writing the report:',
  },
  revision: (revision: number) => `revision ${revision}`,
  older: (revision: number) => `This is revision ${revision}. There is a newer one.`,
  newest: 'Show the newest',
  read: 'Made from',
  download: 'Download',
  formats: { pdf: 'PDF', docx: 'Word', markdown: 'Markdown with pictures', raw: 'Markdown as written' },
  edit: {
    begin: 'Edit',
    title: 'Title',
    content: 'Markdown',
    save: 'Save as new revision',
    conflict: 'Somebody changed the report while you were editing. Your text is still here.',
    overwrite: 'Save my version',
  },
  versions: {
    title: 'Revisions',
    none: 'There are no revisions.',
    revision: 'Revision',
    name: 'Title',
    changed: 'Written',
    by: 'By',
  },
  remove: {
    title: 'Delete',
    confirm: (title: string) => `Delete “${title}” and all its revisions? You can't undo this.`,
  },
} as const;
