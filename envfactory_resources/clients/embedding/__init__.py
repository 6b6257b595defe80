"""Text to vectors: the model protocol, its two implementations, the vector cache, thresholds.

Here: `embedding_model` (protocol), `sentence_transformer` (real models), `hashing_embedding` (a
small deterministic stand-in), `vector_cache`, `similarity_threshold`.
Not here: what the vectors are compared for; that is the stages' business.
"""
