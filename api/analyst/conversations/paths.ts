import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import { type Conversation, getConversation } from '../../../domain/analyst/conversations/conversations.ts';

/** The path of a conversation, and prefix of everything in it. */
export const conversationPath = '/v1/projects/:project_id/conversations/:chat_id';

export interface ConversationParams {
  project_id: string;
  chat_id: string;
}

export const conversationId = (
  organizationId: string,
  { project_id: projectId, chat_id: conversationId }: ConversationParams,
) => ({ organizationId, projectId, conversationId });

/** The conversation of a path. */
export const loadConversation = (
  db: OrganizationTransaction,
  organizationId: string,
  params: ConversationParams,
): Promise<Conversation> => getConversation(db, conversationId(organizationId, params));
