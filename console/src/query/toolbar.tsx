import { Button, Menu } from '@mantine/core';
import { Download, LayoutDashboard, Play, Save, Square } from 'lucide-react';
import { More } from '../parts/more.tsx';
import * as texts from '../texts/index.ts';
import type { Place } from './panels.tsx';

const labels = texts.query;

interface ToolbarProps {
  isPending: boolean;
  isEmpty: boolean;
  onStop: () => void;
  onOpen: (place: Place) => void;
}

/** Runs the statement, and makes something of it. */
export const Toolbar = ({ isPending, isEmpty, onStop, onOpen }: ToolbarProps) => (
  <div className="toolbar">
    <Button variant="filled" type="submit" disabled={isPending} leftSection={<Play size={14} />}>
      {labels.run}
    </Button>
    {isPending && (
      <Button onClick={onStop} leftSection={<Square size={12} />}>
        {labels.stop}
      </Button>
    )}
    <span className="facts wide-only">{labels.short}</span>
    <span className="space" />
    <Button
      variant="subtle"
      disabled={isEmpty}
      leftSection={<Save size={14} />}
      onClick={() => onOpen('keep')}
    >
      {labels.keep}
    </Button>
    <Button
      variant="subtle"
      disabled={isEmpty}
      leftSection={<LayoutDashboard size={14} />}
      onClick={() => onOpen('add')}
    >
      {texts.saved.add.title}
    </Button>
    <Button
      variant="subtle"
      disabled={isEmpty}
      leftSection={<Download size={14} />}
      onClick={() => onOpen('export')}
    >
      {labels.export.title}
    </Button>
    <More>
      <Menu.Item disabled={isEmpty} onClick={() => onOpen('view')}>
        {labels.save.view}
      </Menu.Item>
      <Menu.Item disabled={isEmpty} onClick={() => onOpen('calc')}>
        {labels.save.calc}
      </Menu.Item>
    </More>
  </div>
);
