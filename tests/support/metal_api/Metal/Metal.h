// Declarations of the part of Apple's Metal that the Metal back end uses, written from Apple's public documentation:
// for a compiler that checks it where there is no Apple system. Values of enumerations are not Apple's unless code
// depends on their order.
#pragma once

#import <Foundation/Foundation.h>

typedef double CFTimeInterval;

typedef struct {
  NSUInteger width, height, depth;
} MTLSize;
typedef struct {
  NSUInteger x, y, z;
} MTLOrigin;
static inline MTLSize MTLSizeMake(NSUInteger width, NSUInteger height, NSUInteger depth) {
  return {width, height, depth};
}
static inline MTLOrigin MTLOriginMake(NSUInteger x, NSUInteger y, NSUInteger z) { return {x, y, z}; }

typedef enum : NSInteger {
  MTLGPUFamilyApple1,
  MTLGPUFamilyApple6,
  MTLGPUFamilyApple7,
  MTLGPUFamilyMac2,
  MTLGPUFamilyMetal3
} MTLGPUFamily;
typedef enum : NSUInteger {
  MTLPixelFormatInvalid,
  MTLPixelFormatRGBA8Uint,
  MTLPixelFormatRGBA8Sint,
  MTLPixelFormatRGBA16Float,
  MTLPixelFormatRGBA32Uint,
  MTLPixelFormatRGBA32Sint,
  MTLPixelFormatRGBA32Float
} MTLPixelFormat;
typedef enum : NSUInteger {
  MTLTextureType2D,
  MTLTextureType2DArray,
  MTLTextureType3D,
  MTLTextureTypeTextureBuffer
} MTLTextureType;
typedef enum : NSUInteger { MTLStorageModeShared, MTLStorageModePrivate } MTLStorageMode;
// Apple's NS_OPTIONS: their bits may be combined.
typedef NSUInteger MTLResourceOptions;
enum : NSUInteger { MTLResourceStorageModeShared = 0, MTLResourceStorageModePrivate = 32 };
typedef NSUInteger MTLTextureUsage;
enum : NSUInteger { MTLTextureUsageShaderRead = 1, MTLTextureUsageShaderWrite = 2 };
typedef enum : NSUInteger { MTLLanguageVersion3_0 } MTLLanguageVersion;
typedef enum : NSUInteger {
  MTLCommandBufferStatusNotEnqueued,
  MTLCommandBufferStatusEnqueued,
  MTLCommandBufferStatusCommitted,
  MTLCommandBufferStatusScheduled,
  MTLCommandBufferStatusCompleted,
  MTLCommandBufferStatusError
} MTLCommandBufferStatus;
typedef enum : NSUInteger { MTLCommandBufferErrorNone, MTLCommandBufferErrorOutOfMemory } MTLCommandBufferError;

@protocol MTLBuffer;
@protocol MTLCommandQueue;
@protocol MTLDevice;
@protocol MTLFunction;
@protocol MTLTexture;

@interface MTLTextureDescriptor : NSObject
+ (MTLTextureDescriptor*)textureBufferDescriptorWithPixelFormat:(MTLPixelFormat)pixelFormat
                                                          width:(NSUInteger)width
                                                resourceOptions:(MTLResourceOptions)resourceOptions
                                                          usage:(MTLTextureUsage)usage;
@property(readwrite, nonatomic) MTLTextureType textureType;
@property(readwrite, nonatomic) MTLPixelFormat pixelFormat;
@property(readwrite, nonatomic) NSUInteger width, height, depth, arrayLength;
@property(readwrite, nonatomic) MTLStorageMode storageMode;
@property(readwrite, nonatomic) MTLTextureUsage usage;
@end

@interface MTLCompileOptions : NSObject
@property(readwrite, nonatomic) BOOL fastMathEnabled __attribute__((deprecated));
@property(readwrite, nonatomic) MTLLanguageVersion languageVersion;
@end

@protocol MTLResource <NSObject>
@property(readonly) MTLStorageMode storageMode;
@property(readonly) MTLResourceOptions resourceOptions;
@end

@protocol MTLBuffer <MTLResource>
- (void*)contents;
- (id<MTLTexture>)newTextureWithDescriptor:(MTLTextureDescriptor*)descriptor
                                    offset:(NSUInteger)offset
                               bytesPerRow:(NSUInteger)bytesPerRow;
@end

@protocol MTLTexture <MTLResource>
@end

@protocol MTLFunction <NSObject>
@end

@protocol MTLLibrary <NSObject>
- (id<MTLFunction>)newFunctionWithName:(NSString*)functionName;
@end

@protocol MTLComputePipelineState <NSObject>
@property(readonly) NSUInteger maxTotalThreadsPerThreadgroup;
@property(readonly) NSUInteger threadExecutionWidth;
@property(readonly) NSUInteger staticThreadgroupMemoryLength;
@end

@protocol MTLCommandEncoder <NSObject>
- (void)endEncoding;
@end

@protocol MTLBlitCommandEncoder <MTLCommandEncoder>
- (void)copyFromBuffer:(id<MTLBuffer>)sourceBuffer
          sourceOffset:(NSUInteger)sourceOffset
              toBuffer:(id<MTLBuffer>)destinationBuffer
     destinationOffset:(NSUInteger)destinationOffset
                  size:(NSUInteger)size;
- (void)copyFromBuffer:(id<MTLBuffer>)sourceBuffer
           sourceOffset:(NSUInteger)sourceOffset
      sourceBytesPerRow:(NSUInteger)sourceBytesPerRow
    sourceBytesPerImage:(NSUInteger)sourceBytesPerImage
             sourceSize:(MTLSize)sourceSize
              toTexture:(id<MTLTexture>)destinationTexture
       destinationSlice:(NSUInteger)destinationSlice
       destinationLevel:(NSUInteger)destinationLevel
      destinationOrigin:(MTLOrigin)destinationOrigin;
- (void)copyFromTexture:(id<MTLTexture>)sourceTexture
                 sourceSlice:(NSUInteger)sourceSlice
                 sourceLevel:(NSUInteger)sourceLevel
                sourceOrigin:(MTLOrigin)sourceOrigin
                  sourceSize:(MTLSize)sourceSize
                    toBuffer:(id<MTLBuffer>)destinationBuffer
           destinationOffset:(NSUInteger)destinationOffset
      destinationBytesPerRow:(NSUInteger)destinationBytesPerRow
    destinationBytesPerImage:(NSUInteger)destinationBytesPerImage;
- (void)fillBuffer:(id<MTLBuffer>)buffer range:(NSRange)range value:(uint8_t)value;
@end

@protocol MTLComputeCommandEncoder <MTLCommandEncoder>
- (void)setComputePipelineState:(id<MTLComputePipelineState>)state;
- (void)setBuffer:(id<MTLBuffer>)buffer offset:(NSUInteger)offset atIndex:(NSUInteger)index;
- (void)setBytes:(const void*)bytes length:(NSUInteger)length atIndex:(NSUInteger)index;
- (void)setTexture:(id<MTLTexture>)texture atIndex:(NSUInteger)index;
- (void)dispatchThreadgroups:(MTLSize)threadgroupsPerGrid threadsPerThreadgroup:(MTLSize)threadsPerThreadgroup;
@end

@protocol MTLCommandBuffer <NSObject>
@property(readonly) MTLCommandBufferStatus status;
@property(readonly) NSError* error;
@property(readonly) CFTimeInterval GPUStartTime;
@property(readonly) CFTimeInterval GPUEndTime;
- (id<MTLBlitCommandEncoder>)blitCommandEncoder;
- (id<MTLComputeCommandEncoder>)computeCommandEncoder;
- (void)commit;
- (void)waitUntilCompleted;
@end

@protocol MTLCommandQueue <NSObject>
- (id<MTLCommandBuffer>)commandBuffer;
@end

@protocol MTLDevice <NSObject>
@property(readonly) NSString* name;
@property(readonly) uint64_t registryID;
@property(readonly) MTLSize maxThreadsPerThreadgroup;
@property(readonly, getter=isLowPower) BOOL lowPower;
@property(readonly, getter=isRemovable) BOOL removable;
@property(readonly) BOOL hasUnifiedMemory;
@property(readonly) uint64_t recommendedMaxWorkingSetSize;
@property(readonly) NSUInteger maxThreadgroupMemoryLength;
@property(readonly) NSUInteger maxBufferLength;
- (BOOL)supportsFamily:(MTLGPUFamily)gpuFamily;
- (NSUInteger)minimumTextureBufferAlignmentForPixelFormat:(MTLPixelFormat)format;
- (id<MTLCommandQueue>)newCommandQueue;
- (id<MTLBuffer>)newBufferWithLength:(NSUInteger)length options:(MTLResourceOptions)options;
- (id<MTLTexture>)newTextureWithDescriptor:(MTLTextureDescriptor*)descriptor;
- (id<MTLLibrary>)newLibraryWithSource:(NSString*)source
                               options:(MTLCompileOptions*)options
                                 error:(NSError* __autoreleasing*)error;
- (id<MTLComputePipelineState>)newComputePipelineStateWithFunction:(id<MTLFunction>)computeFunction
                                                             error:(NSError* __autoreleasing*)error;
@end

extern "C" {
id<MTLDevice> MTLCreateSystemDefaultDevice(void) __attribute__((ns_returns_retained));
NSArray<id<MTLDevice>>* MTLCopyAllDevices(void) __attribute__((ns_returns_retained));
}
