import { closeCompletion } from '@codemirror/autocomplete';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { type Diagnostic, setDiagnostics } from '@codemirror/lint';
import { Compartment } from '@codemirror/state';
import { EditorView, keymap } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { basicSetup } from 'codemirror';
import { type RefObject, useEffect, useRef } from 'react';
import type { Tables } from './complete-columns.ts';
import { languageOf } from './language.ts';
import { takeOffered } from './take-offered.ts';

export interface EditorProps {
  label: string;
  description: string;
  value: string;
  onChange: (value: string) => void;
  onRun: () => void;
  /** Tables and their columns, as they are named in a statement. */
  schema: Tables;
  /** What is wrong, and where: offsets in the text. */
  fault: { from: number; to: number; message: string } | undefined;
  /** Set while the editor is there: writes a text instead of what is selected, and goes on behind it. */
  insert: RefObject<((text: string) => void) | undefined>;
}

const theme = EditorView.theme({
  '&': { fontSize: '13px', height: '100%' },
  '&.cm-focused': { outline: 'none' },
  '.cm-content': { minHeight: '100%', fontFamily: 'ui-monospace, monospace', caretColor: 'var(--ink)' },
  '.cm-gutters': { background: 'transparent', color: 'var(--dim)', border: 'none' },
  '.cm-activeLine, .cm-activeLineGutter': { background: 'transparent' },
  '.cm-tooltip': { background: 'var(--paper)', color: 'var(--ink)', border: '1px solid var(--line)' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': { background: 'var(--act)', color: 'var(--on-act)' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': { background: '#8885 !important' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
});

const highlighting = syntaxHighlighting(
  HighlightStyle.define([
    { tag: [tags.keyword, tags.operatorKeyword], color: 'var(--act)', fontWeight: '600' },
    { tag: [tags.string, tags.special(tags.string)], color: 'var(--good)' },
    { tag: [tags.number, tags.bool, tags.null], color: 'var(--bad)' },
    { tag: tags.comment, color: 'var(--dim)', fontStyle: 'italic' },
  ]),
);

/**
 * A text of SQL with completion of tables and columns. It has a root of its own, where its styles need no element
 * that the content security policy would refuse.
 */
export function Editor(props: EditorProps) {
  const { label, description, value, schema, fault } = props;
  const frame = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const language = useRef(new Compartment());
  const now = useRef(props);
  now.current = props;

  // biome-ignore lint/correctness/useExhaustiveDependencies: one editor, which the effects below keep up to date.
  useEffect(() => {
    const shadow = frame.current!.shadowRoot ?? frame.current!.attachShadow({ mode: 'open' });
    const editor = new EditorView({
      doc: value,
      parent: shadow,
      root: shadow,
      extensions: [
        keymap.of([
          {
            key: 'Mod-Enter',
            run: (target) => {
              closeCompletion(target);
              now.current.onRun();
              return true;
            },
          },
          // Tab leaves the text, except where it takes what is offered.
          { key: 'Tab', run: takeOffered },
        ]),
        basicSetup,
        language.current.of(languageOf(schema)),
        theme,
        highlighting,
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({
          'aria-label': label,
          'aria-description': description,
          spellcheck: 'false',
        }),
        EditorView.updateListener.of(({ docChanged, state }) => {
          if (docChanged) now.current.onChange(state.doc.toString());
        }),
      ],
    });
    view.current = editor;
    props.insert.current = (text) => {
      editor.dispatch(editor.state.replaceSelection(spaced(editor, text)));
      editor.focus();
    };
    return () => {
      props.insert.current = undefined;
      editor.destroy();
    };
  }, []);

  useEffect(() => {
    const editor = view.current!;
    const before = editor.state.doc.toString();
    if (before !== value) editor.dispatch({ changes: { from: 0, to: before.length, insert: value } });
  }, [value]);
  useEffect(() => {
    view.current!.dispatch({ effects: language.current.reconfigure(languageOf(schema)) });
  }, [schema]);
  useEffect(() => {
    const editor = view.current!;
    const { length } = editor.state.doc;
    const shown: Diagnostic[] =
      fault === undefined
        ? []
        : [
            {
              ...fault,
              from: Math.min(fault.from, length),
              to: Math.min(fault.to, length),
              severity: 'error',
            },
          ];
    editor.dispatch(setDiagnostics(editor.state, shown));
  }, [fault]);

  return <div ref={frame} className="editor" />;
}

/** Apart from the words beside it. */
function spaced({ state }: EditorView, text: string): string {
  const { from, to } = state.selection.main;
  const [before, after] = [state.sliceDoc(from - 1, from), state.sliceDoc(to, to + 1)];
  return `${/[\w"]/.test(before) ? ' ' : ''}${text}${/[\w"]/.test(after) ? ' ' : ''}`;
}
