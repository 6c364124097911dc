import { Button, Group, Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import * as texts from '../texts/index.ts';

interface SureProps {
  isOpen: boolean;
  onClose: () => void;
  question: string;
  /** What the button says that does it. */
  yes: ReactNode;
  onYes: () => void;
  /** Whether something is gone afterwards. */
  destroys?: boolean;
}

/** Asks before something is done that cannot be undone. */
export const Sure = ({ isOpen, onClose, question, yes, onYes, destroys = false }: SureProps) => (
  <Modal opened={isOpen} onClose={onClose} title={question} withCloseButton={false}>
    <Group justify="end">
      <Button onClick={onClose}>{texts.parts.cancel}</Button>
      <Button
        variant="filled"
        {...(destroys ? { color: 'red' } : {})}
        data-autofocus
        onClick={() => {
          onClose();
          onYes();
        }}
      >
        {yes}
      </Button>
    </Group>
  </Modal>
);
