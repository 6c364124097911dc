/** Texts of the first page. */
export const home = {
  waiting: 'Waiting for you',
  failed: 'Failed',
  ran: 'Recent runs',
  nothingRan: 'Nothing has run yet. Imports, reports, exports and automations appear here.',
  next: 'Runs next',
  nothingNext: 'Nothing is scheduled. Create a schedule under Automations.',
  tables: 'Recent tables',
  begin: {
    title: 'Start here',
    hint: 'There are no tables yet. Start with one of these. You can ask questions about the data afterwards.',
    file: {
      title: 'A file',
      text: 'CSV, Parquet, JSON or Excel. Drop it anywhere on this page, or choose it.',
    },
    sample: { title: 'Sample data', text: 'The weather of two cities, day by day. You can delete it later.' },
    source: {
      title: 'A data source',
      text: 'PostgreSQL, MySQL, S3 or an HTTP API. Its tables are copied as often as you want.',
    },
    connect: 'Connect a source',
  },
};
