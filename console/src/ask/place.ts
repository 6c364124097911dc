/** Where a part of a conversation belongs. */
export interface InConversation {
  projectId: string;
  chatId: string;
}
