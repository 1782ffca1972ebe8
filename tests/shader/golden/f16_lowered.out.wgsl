// Unsupported: The structure 'Block' holds f16 in 'scale'; a device without f16 has halves in arrays only.
