import { ActionIcon, Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';

interface IconButtonProps {
  /** What it does, which pointing at it says. */
  label: string;
  icon: ReactNode;
  onClick: () => void;
  className?: string;
}

/** An icon alone, with its word for whoever points at it and for screen readers. */
export const IconButton = ({ label, icon, ...rest }: IconButtonProps) => (
  <Tooltip label={label}>
    <ActionIcon aria-label={label} {...rest}>
      {icon}
    </ActionIcon>
  </Tooltip>
);
