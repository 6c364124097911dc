import { conversationPrefix } from '../../../data/objects/keys.ts';
import type { ObjectStore } from '../../../data/objects/store.ts';
import {
  type Database,
  inOrganization,
  type OrganizationTransaction,
} from '../../../data/postgres/client.ts';
import type { ConversationInput } from '../../../workflows/analyst/conversation/contract.ts';
import { removeUnneeded } from '../../workspace/files/remove-unneeded.ts';
import { type Conversation, updateConversation } from './conversations.ts';
import { activeReply } from './messages.ts';
import { endTurn } from './turns.ts';

/** Deletes a conversation for its users; the caller holds its lock. Its process removes its data. */
export async function deleteConversation(
  db: OrganizationTransaction,
  conversation: Conversation,
): Promise<Conversation> {
  const { organization_id: organizationId, id } = conversation;
  const active = await activeReply(db, organizationId, id);
  if (active !== undefined) await endTurn(db, conversation, active, 'cancelled');
  const now = new Date();
  return updateConversation(db, organizationId, id, { deleted_at: now, due_since: now });
}

/**
 * Removes a deleted conversation with everything its tools created. Its reports belong to the project and
 * stay.
 */
export async function removeConversation(
  { db, objects }: { db: Database; objects: Pick<ObjectStore, 'removeAll'> },
  { organizationId, conversationId }: ConversationInput,
): Promise<void> {
  await removeUnneeded({ db, objects }, organizationId, conversationPrefix(organizationId, conversationId));
  await inOrganization(db, organizationId, (transaction) =>
    transaction
      .deleteFrom('conversations')
      .where('organization_id', '=', organizationId)
      .where('id', '=', conversationId)
      .where('deleted_at', 'is not', null)
      .execute(),
  );
}
