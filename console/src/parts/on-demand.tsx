import { type ReactNode, useState } from 'react';

interface OnDemandProps {
  title: string;
  /** What was written in it is not lost when it is closed. */
  isKept?: boolean;
  children: ReactNode;
}

/** A part of a page that is asked for when somebody opens it. */
export function OnDemand({ title, isKept = false, children }: OnDemandProps) {
  const [isOpen, setIsOpen] = useState(false);
  const [wasOpen, setWasOpen] = useState(false);
  return (
    <details
      className="part"
      onToggle={({ currentTarget }) => {
        setIsOpen(currentTarget.open);
        if (currentTarget.open) setWasOpen(true);
      }}
    >
      <summary>
        <h2>{title}</h2>
      </summary>
      {(isOpen || (isKept && wasOpen)) && children}
    </details>
  );
}
