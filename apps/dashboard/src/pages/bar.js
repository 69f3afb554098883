/** The bar scrolls sideways on a phone: where we are is in view. */
document.querySelector('.bar [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
