import { createTheme } from '@mantine/core';

/** The head of a dialog is not the head of the page. */
const noBanner = { header: { role: 'none' } };

/**
 * What holds for every component of the library; its colours and sizes are in `tokens.css`. Nothing locks the scroll
 * bar, since that needs a style element, which the content security policy refuses.
 */
export const theme = createTheme({
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    // One button of a page says `variant="filled"`; all others are quiet.
    Button: { defaultProps: { variant: 'default' } },
    ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray', size: 32 } },
    Group: { defaultProps: { gap: 8 } },
    Text: { defaultProps: { size: 'sm' } },
    Checkbox: { defaultProps: { size: 'xs', my: 8 } },
    Radio: { defaultProps: { size: 'xs', my: 8 } },
    Fieldset: { defaultProps: { my: 12, p: 'sm' } },
    Modal: { defaultProps: { lockScroll: false, centered: true, attributes: noBanner } },
    Drawer: { defaultProps: { lockScroll: false, attributes: noBanner } },
    Menu: { defaultProps: { position: 'bottom-end', shadow: 'md' } },
    Tooltip: { defaultProps: { openDelay: 300, withArrow: true } },
  },
});
