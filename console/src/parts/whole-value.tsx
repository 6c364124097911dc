import { Null } from './null.tsx';
import { Panel } from './panel.tsx';
import { wholeText } from './value.ts';

interface WholeValueProps {
  /** Of the column. */
  name: string;
  value: unknown;
  onClose: () => void;
}

/** What a cell has no room for. */
export const WholeValue = ({ name, value, onClose }: WholeValueProps) => (
  <Panel title={name} isOpen onClose={onClose}>
    <pre>{value === null || value === undefined ? <Null /> : wholeText(value)}</pre>
  </Panel>
);
