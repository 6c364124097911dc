import { useMantineColorScheme } from '@mantine/core';

/** Light, dark, or as the system has it. To stop transitions meanwhile, the library would need a style element. */
export const useTheme = () => useMantineColorScheme({ keepTransitions: true });
