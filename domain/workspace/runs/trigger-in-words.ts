import type { Run } from './runs.ts';

/** What triggered a run, for operators who see its process in a list. */
export const triggerInWords: Record<Run['trigger_type'], string> = {
  api: 'called through the API',
  schedule: 'by its schedule',
  webhook: 'called by a webhook',
  data_event: 'by new data',
  conversation: 'from a conversation',
};
