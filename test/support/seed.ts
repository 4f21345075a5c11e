import fc from 'fast-check';

// A fixed seed, so that a commit either passes or fails. `npm run test:properties` chooses another for each run.
fc.configureGlobal({ seed: Number(process.env.PROPERTY_SEED ?? 1) });
