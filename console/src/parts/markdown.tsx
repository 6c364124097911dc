import Markdown, { type Components, defaultUrlTransform } from 'react-markdown';
import gfm from 'remark-gfm';
import { Scrolls } from './scrolls.tsx';

/** A picture that is within the text, as the service puts it there: a document of an image runs no script. */
const isWithin = (url: string) => /^data:image\/(?:svg\+xml|png|jpeg);base64,/.test(url);

/** Nothing is fetched: other pictures are named. Links open beside the console. */
const components: Components = {
  img: ({ alt, src }) =>
    typeof src === 'string' && isWithin(src) ? <img src={src} alt={alt ?? ''} /> : <em>{alt}</em>,
  a: ({ href, children }) => (
    <a href={href} target="_blank" rel="noreferrer noopener">
      {children}
    </a>
  ),
  table: ({ children }) => (
    <Scrolls>
      <table className="list">{children}</table>
    </Scrolls>
  ),
};
const plugins = [gfm];
const address = (url: string, attribute: string) =>
  attribute === 'src' && isWithin(url) ? url : defaultUrlTransform(url);

/** GitHub's Markdown; HTML in it is shown as text. */
export function MarkdownText({ text }: { text: string }) {
  return (
    <div className="markdown">
      <Markdown remarkPlugins={plugins} components={components} urlTransform={address}>
        {text}
      </Markdown>
    </div>
  );
}
