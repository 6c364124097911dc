import { type ReactNode, useEffect, useRef, useState } from 'react';

interface ScrollsProps {
  label?: string | undefined;
  className?: string;
  children: ReactNode;
}

/** A frame for what may be wider than the window. It can be reached by the keyboard where it scrolls. */
export function Scrolls({ label, className = '', children }: ScrollsProps) {
  const frame = useRef<HTMLElement>(null);
  const [isWide, setIsWide] = useState(false);
  useEffect(() => {
    const element = frame.current!;
    const look = () => setIsWide(element.scrollWidth > element.clientWidth);
    const observer = new ResizeObserver(look);
    observer.observe(element);
    for (const child of element.children) observer.observe(child);
    return () => observer.disconnect();
  }, []);
  return (
    <section
      ref={frame}
      className={`scrolls ${className}`}
      aria-label={label}
      {...(isWide ? { tabIndex: 0 } : {})}
    >
      {children}
    </section>
  );
}
