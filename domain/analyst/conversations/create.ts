import { type Database, inOrganization } from '../../../data/postgres/client.ts';
import { getOpenProject } from '../../workspace/projects/projects.ts';
import { type Conversation, getConversation, insertConversation, lockNamed } from './conversations.ts';
import { accept, type NewMessage } from './post.ts';

export interface NewConversation extends Omit<NewMessage, 'message' | 'onBusy'> {
  title: string;
  /** Posted at once, if given. */
  message: string | undefined;
}

/**
 * Creates a conversation, and starts the first turn if there is a message. The same ids again return the
 * existing rows.
 */
export function createConversation(db: Database, wanted: NewConversation): Promise<Conversation> {
  const { organizationId, projectId, conversationId, message } = wanted;
  return inOrganization(db, organizationId, async (transaction) => {
    await getOpenProject(transaction, organizationId, projectId);
    await insertConversation(transaction, {
      organization_id: organizationId,
      id: conversationId,
      project_id: projectId,
      title: wanted.title,
      created_by: wanted.callerId,
    });
    if (message !== undefined)
      await accept(transaction, await lockNamed(transaction, wanted), {
        ...wanted,
        message,
        onBusy: 'enqueue',
      });
    return getConversation(transaction, wanted);
  });
}
