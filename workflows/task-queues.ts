/**
 * Three queues, so that a long lake job never delays a state change, and each can be scaled independently.
 */
export const taskQueues = { control: 'control', lake: 'lake', agent: 'agent' } as const;

/** The search attributes of every process, all of type Keyword; operators filter by them. */
export const searchAttributeNames = [
  'OrganizationId',
  'ProjectId',
  'ResourceId',
  'ProcessKind',
  'Outcome',
] as const;
