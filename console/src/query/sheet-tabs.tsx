import { UnstyledButton } from '@mantine/core';
import { Plus, X } from 'lucide-react';
import { IconButton } from '../parts/icon-button.tsx';
import * as texts from '../texts/index.ts';
import { isChanged, isLost, type Sheet, titleOf } from './sheets.ts';

const labels = texts.query.sheets;

interface SheetTabsProps {
  all: readonly Sheet[];
  active: string;
  onActivate: (sheet: Sheet) => void;
  onAdd: () => void;
  onClose: (id: string) => void;
}

/** The statements that are open, of which one is written on. */
export const SheetTabs = ({ all, active, onActivate, onAdd, onClose }: SheetTabsProps) => (
  <nav className="sheets" aria-label={labels.title}>
    {all.map((sheet) => {
      const title = titleOf(sheet, labels.untitled);
      return (
        <span key={sheet.id} className="sheet" data-active={sheet.id === active || undefined}>
          <UnstyledButton
            aria-current={sheet.id === active ? 'true' : undefined}
            onClick={() => onActivate(sheet)}
          >
            {title}
            {isChanged(sheet) && (
              <span title={labels.changed} role="img" aria-label={labels.changed}>
                {' •'}
              </span>
            )}
          </UnstyledButton>
          {all.length > 1 && (
            <IconButton
              label={labels.close(title)}
              icon={<X size={12} />}
              onClick={() => {
                if (!isLost(sheet) || confirm(labels.confirm(title))) onClose(sheet.id);
              }}
            />
          )}
        </span>
      );
    })}
    <IconButton label={labels.add} icon={<Plus size={14} />} onClick={onAdd} />
  </nav>
);
