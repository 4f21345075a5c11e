/** Names that carry the service's brand word. The spec writes the neutral word `service`; a profile's `brand` replaces it. */
export interface BrandNames {
  /** Header with the reader's e-mail address, e.g. `X-Service-Reader-Email`. */
  readonly readerEmailHeader: string;
  /** Header with the reader's session token, e.g. `X-Service-Reader-Token`. */
  readonly readerTokenHeader: string;
  /** v2's platform value: `service`. */
  readonly platformV2: string;
  /** v1's platform value: `Service`. */
  readonly platformV1: string;
  /** v1's platform value in its upper-case form: `SERVICE`. */
  readonly platformV1Upper: string;
}

export const DEFAULT_BRAND = 'service';

/** Derives every brand-bearing name from the brand word (letters, digits and hyphens). */
export function brandNames(brand: string = DEFAULT_BRAND): BrandNames {
  const capitalized = brand.charAt(0).toUpperCase() + brand.slice(1);
  return {
    readerEmailHeader: `X-${capitalized}-Reader-Email`,
    readerTokenHeader: `X-${capitalized}-Reader-Token`,
    platformV2: brand.toLowerCase(),
    platformV1: capitalized,
    platformV1Upper: brand.toUpperCase(),
  };
}
