import { Button, Group } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import { TextArea } from '../parts/input.tsx';
import * as texts from '../texts/index.ts';
import { ModelChoice } from './model-choice.tsx';
import { useKeptText } from './use-kept-text.ts';
import { useModel } from './use-model.ts';

export interface Question {
  message: string;
  model?: string;
}

interface ComposerProps {
  /** What is not sent yet is kept under this key. */
  keptAs: string;
  /** Of the button. */
  label: string;
  isBusy?: boolean;
  /** Who answered last. */
  model?: string | undefined;
  /** The text stays where this rejects. */
  onSend: (question: Question) => Promise<unknown>;
  children?: ReactNode;
}

const maxMessage = 100_000;

/** A question as it is written. Enter sends it, with Shift it begins a line. */
export function Composer({ keptAs, label, isBusy = false, model: last, onSend, children }: ComposerProps) {
  const [text, setText] = useKeptText(keptAs);
  const choice = useModel(last);
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (isBusy || text.trim() === '') return;
    setText('');
    // What was refused is there again, before what was written meanwhile.
    onSend({ message: text, ...(choice.model === undefined ? {} : { model: choice.model.id }) }).catch(() =>
      setText((now) => (now === '' ? text : `${text}\n${now}`)),
    );
  };
  return (
    <form className="composer" onSubmit={send}>
      <TextArea
        label={texts.ask.label}
        rows={2}
        maxLength={maxMessage}
        placeholder={texts.ask.placeholder}
        value={text}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) send(event);
        }}
      />
      <Group>
        <Button variant="filled" type="submit" disabled={isBusy}>
          {label}
        </Button>
        {children}
        <ModelChoice {...choice} />
      </Group>
    </form>
  );
}
