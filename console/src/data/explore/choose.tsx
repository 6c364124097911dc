import { Button, Popover } from '@mantine/core';
import { type ReactNode, useState } from 'react';

interface ChooseProps {
  label: string;
  icon: ReactNode;
  /** Closed again by what is called. */
  children: (close: () => void) => ReactNode;
}

/** A quiet button with a small form under it. */
export function Choose({ label, icon, children }: ChooseProps) {
  const [isOpen, setIsOpen] = useState(false);
  const close = () => setIsOpen(false);
  return (
    <Popover opened={isOpen} onChange={setIsOpen} position="bottom-start" trapFocus returnFocus>
      <Popover.Target>
        <Button
          variant="subtle"
          leftSection={icon}
          aria-expanded={isOpen}
          onClick={() => setIsOpen((before) => !before)}
        >
          {label}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>{isOpen && children(close)}</Popover.Dropdown>
    </Popover>
  );
}
