import {
  acceptCompletion,
  completionStatus,
  moveCompletionSelection,
  selectedCompletionIndex,
} from '@codemirror/autocomplete';
import type { EditorView } from '@codemirror/view';

/** Takes what was chosen from the list of completions, or else the first; false if there isn't a list. */
export function takeOffered(view: EditorView): boolean {
  if (completionStatus(view.state) !== 'active') return false;
  if ((selectedCompletionIndex(view.state) ?? -1) < 0) moveCompletionSelection(true)(view);
  acceptCompletion(view);
  // A list that has just opened takes no key yet: the text is not left by that.
  return true;
}
