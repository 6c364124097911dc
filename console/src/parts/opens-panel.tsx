import { Button } from '@mantine/core';
import { Plus } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Panel } from './panel.tsx';

interface OpensPanelProps {
  /** Of the button and of the panel. */
  title: string;
  isPrimary?: boolean;
  /** Whether the page was opened for it. */
  isOpenFirst?: boolean;
  children: ReactNode;
}

/** A button that opens a form for something new in a panel. What was written stays while the panel is closed. */
export function OpensPanel({ title, isPrimary = false, isOpenFirst = false, children }: OpensPanelProps) {
  const [isOpen, setIsOpen] = useState(isOpenFirst);
  return (
    <>
      <Button
        leftSection={<Plus size={14} />}
        {...(isPrimary ? { variant: 'filled' } : {})}
        onClick={() => setIsOpen(true)}
      >
        {title}
      </Button>
      <Panel {...{ title, isOpen }} onClose={() => setIsOpen(false)}>
        {children}
      </Panel>
    </>
  );
}
