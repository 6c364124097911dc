import { type MantineColorScheme, Radio } from '@mantine/core';
import { useTheme } from '../parts/use-theme.ts';
import * as texts from '../texts/index.ts';

const { themes } = texts.shell;

/** Light, dark, or as the system has it; this browser remembers it. */
export function Appearance() {
  const { colorScheme, setColorScheme } = useTheme();
  return (
    <Radio.Group
      label={texts.settings.appearance.theme}
      value={colorScheme}
      onChange={(name) => setColorScheme(name as MantineColorScheme)}
    >
      {Object.entries(themes).map(([name, label]) => (
        <Radio key={name} value={name} label={label} />
      ))}
    </Radio.Group>
  );
}
