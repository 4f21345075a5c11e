/** As much of a browser as the page's script uses. */
interface Browser {
  readonly document: {
    querySelectorAll(selector: string): Iterable<PageElement>;
    createElement(tag: string): PageElement;
  };
  readonly URL: { createObjectURL(blob: Blob): string; revokeObjectURL(url: string): void };
  matchMedia(query: string): {
    readonly matches: boolean;
    addEventListener(type: 'change', listener: () => void): void;
  };
  addEventListener(type: 'resize' | 'beforeprint' | 'afterprint', listener: () => void): void;
}

/** Any element, with the properties of the few kinds that are made here. */
export interface PageElement {
  textContent: string;
  readonly style: { height: string; color: string };
  readonly clientWidth: number;
  readonly children: ArrayLike<PageElement>;
  type: string;
  // Of a link.
  href: string;
  download: string;
  // Of a canvas and of an image.
  width: number;
  height: number;
  src: string;
  append(...children: (PageElement | string)[]): void;
  replaceChildren(...children: (PageElement | string)[]): void;
  setAttribute(name: string, value: string): void;
  removeAttribute(name: string): void;
  getAttribute(name: string): string | null;
  querySelector(selector: string): PageElement | null;
  querySelectorAll(selector: string): Iterable<PageElement>;
  addEventListener(type: string, listener: () => void): void;
  click(): void;
  focus(): void;
  decode(): Promise<void>;
  getContext(kind: '2d'): { drawImage(image: PageElement, x: number, y: number, w: number, h: number): void };
  toBlob(receive: (blob: Blob | null) => void): void;
}

export const browser = globalThis as unknown as Browser;
