/** Texts of reports. */
export const reports = {
  title: 'Reports',
  empty: 'There are no reports in this project yet.',
  columns: { title: 'Report', source: 'From', changed: 'Changed' },
  sources: {
    api: 'a request',
    conversation: 'a conversation',
    playbook: 'a playbook',
    workflow: 'a workflow',
  },
  ask: {
    label: 'What the report is to be about',
    placeholder: 'total amount by city as a bar chart, and what stands out',
    send: 'Have it written',
    begun: 'The analyst is writing it:',
  },
  revision: (revision: number) => `revision ${revision}`,
  older: (revision: number) => `This is revision ${revision}, which is not the newest.`,
  newest: 'Read the newest',
  read: 'Made from',
  download: 'Download',
  formats: { pdf: 'PDF', docx: 'Word', markdown: 'Markdown with pictures', raw: 'Markdown as written' },
  edit: {
    begin: 'Edit',
    title: 'Title',
    content: 'Markdown',
    save: 'Save as a new revision',
    conflict: 'Somebody changed the report meanwhile. Your text is still here.',
    overwrite: 'Save mine on top of it',
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
    confirm: (title: string) => `Delete “${title}” with all of its revisions? They cannot be brought back.`,
  },
} as const;
