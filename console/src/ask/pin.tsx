import { Button } from '@mantine/core';
import { LayoutDashboard, SquareTerminal } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { Message } from '../../../clients/typescript/src/index.ts';
import { LinkButton } from '../parts/link-button.tsx';
import { Panel } from '../parts/panel.tsx';
import { addressOf } from '../parts/statement-address.ts';
import { AddToDashboard } from '../saved/add-to-dashboard.tsx';
import * as texts from '../texts/index.ts';
import { answeredBy } from './answered-by.ts';
import { textOf } from './transcript.ts';

const mostName = 200;

/** The first line of a reply, as a title. */
const titleOf = (message: Message): string =>
  (textOf(message).split('\n')[0] ?? '')
    .replaceAll(/[*_`#]/g, '')
    .trim()
    .slice(0, mostName);

/** What a reply is based on becomes a tile of a dashboard, or goes on as a query. */
export function Pin({ message, projectId }: { message: Message; projectId: string }) {
  const [isOpen, setIsOpen] = useState(false);
  const by = useMemo(() => answeredBy(message), [message]);
  const source = useMemo(() => by && { sql: by.sql, parameters: {}, chart: by.chart }, [by]);
  if (by === undefined || source === undefined) return null;
  return (
    <>
      <Button size="compact-xs" leftSection={<LayoutDashboard size={12} />} onClick={() => setIsOpen(true)}>
        {texts.saved.add.pin}
      </Button>
      <LinkButton
        to="/query"
        {...addressOf(by.sql)}
        size="compact-xs"
        leftSection={<SquareTerminal size={12} />}
      >
        {texts.ask.open}
      </LinkButton>
      <Panel title={texts.saved.add.pin} isOpen={isOpen} onClose={() => setIsOpen(false)}>
        <AddToDashboard projectId={projectId} source={source} name={by.title ?? titleOf(message)} />
      </Panel>
    </>
  );
}
