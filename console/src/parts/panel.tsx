import { Drawer } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import * as texts from '../texts/index.ts';

interface PanelProps {
  title: ReactNode;
  isOpen: boolean;
  onClose: () => void;
  children: ReactNode;
}

/** The details of what is selected, from the right, over the page. What was written in it stays when it is closed. */
export function Panel({ title, isOpen, onClose, children }: PanelProps) {
  const [wasOpen, setWasOpen] = useState(isOpen);
  if (isOpen && !wasOpen) setWasOpen(true);
  return (
    <Drawer
      opened={isOpen}
      onClose={onClose}
      position="right"
      size={480}
      title={title}
      keepMounted={wasOpen}
      closeButtonProps={{ 'aria-label': texts.parts.close }}
    >
      {children}
    </Drawer>
  );
}
